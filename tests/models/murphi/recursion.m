-- clew: states=8 transitions=7 deadlocks=1 verdict=holds exit=0 options="--no-deadlock"
-- Recursive functions: factorials, Fibonacci numbers, and two functions that call each other. A
-- chain of eight states.
var n: 0..7;

function factorial(k: 0..7): 1..5040;
begin
  if k = 0 then return 1; end;
  return k * factorial(k - 1);
end;

function fibonacci(k: 0..7): 0..13;
begin
  if k < 2 then return k; end;
  return fibonacci(k - 1) + fibonacci(k - 2);
end;

function is_even(k: 0..7): boolean; begin
  if k = 0 then return true; else return is_odd(k - 1); end;
end;
function is_odd(k: 0..7): boolean; begin
  if k = 0 then return false; else return is_even(k - 1); end;
end;

startstate n := 0; end;
rule "next" n < 7 & fibonacci(n) <= 13 ==> n := n + 1; end;

invariant "factorials"
  (n = 0 -> factorial(n) = 1) & (n = 3 -> factorial(n) = 6) & (n = 7 -> factorial(n) = 5040);
invariant "Fibonacci" (n = 6 -> fibonacci(n) = 8) & (n = 7 -> fibonacci(n) = 13);
invariant "parity" is_even(n) = (n % 2 = 0) & is_odd(n) != is_even(n);

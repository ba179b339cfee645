-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param VALUE=3 --no-deadlock"
-- Copying a record to one of narrower ranges checks each part.
const VALUE: 4;
type
  narrow: record a: boolean; v: array [0..1] of 0..3; end;
  wide: record a: boolean; v: array [0..1] of 0..7; end;
var n: narrow; w: wide;
startstate clear n; clear w; end;
rule "copy" w.v[1] := VALUE; n := w; end;

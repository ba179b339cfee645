// Everybody gets coffee.
A[] not Person.angry
Person.waiting --> Person.happy
// It can be done in less than 25.
E<> Person.happy && t < 25
// And takes at most this long.
sup{Person.waiting}: t

// Safety: one train at most is on the bridge.
A[] forall (i : id_t) forall (k : id_t) Train(i).bridge && Train(k).bridge imply i == k
// There is always something that can happen.
A[] not deadlock
// Two trains may have to wait at the same time.
E<> Train(0).waiting && Train(1).waiting
// Nobody waits for longer than 39: 18 + 6 for the first train to come and cross, and 9 + 6 for the
// one between. x runs on from the moment at which the train came near.
A[] Train(0).waiting imply Train(0).x <= 39
// A train that comes near gets across.
Train(0).near --> Train(0).bridge

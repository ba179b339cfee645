A[] forall (i : id_t) forall (k : id_t) P(i).critical && P(k).critical imply i == k

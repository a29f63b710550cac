// A header that is not supplied.
// refused: cub_absent\.cu:4:10: fatal error: 
// refused: ^simtcc: cub/grid/grid_barrier\.cuh: this part of CUB is not modelled
#include <cub/grid/grid_barrier.cuh>
int main() {}

// refused: graphics\.cu:2: simtcc: cudaGraphicsResource: OpenGL and other graphics are not modelled
struct cudaGraphicsResource* resource;
int main() {}

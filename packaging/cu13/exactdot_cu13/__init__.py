"""The extension of exactdot with the CUDA engine, which `import exactdot` finds and loads. There is nothing else to import."""

"""# On a GPU

The command and the C++ library have a CUDA engine (`--engine cuda`, see README.md), with the same labels and features. In Python,
arrays of a GPU are labelled there with `skerry-cuda13` installed ([GPU](site/gpu.md)). This example runs the command where there is
an NVIDIA GPU, and says so where there is none, as on the machine that made this page.
"""
import shutil
import subprocess

if shutil.which("nvidia-smi") and shutil.which("skerry"):
    words = ["skerry", "measure", "samples/archipelago.png", "--engine", "cuda", "--connectivity", "8", "-o", "-"]
    print(len(subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()) - 1, "islands")
else:
    print("not run: there is no GPU here")

"""Ways of feeding, side by side."""

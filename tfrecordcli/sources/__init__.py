"""What is converted: any list of images, as rows."""

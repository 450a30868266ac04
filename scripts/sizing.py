def table(root):
    return ""

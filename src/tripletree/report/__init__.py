"""Showing a result: figures for papers, files for programs, and an HTML report.

`dendrogram` and `plots` draw with matplotlib. `page` writes the HTML report, with the
words and numbers from `page_text` and the images from `thumbnails`. `files` writes all
files of a result, `notebook` shows it in notebooks and makes frames of it.
"""

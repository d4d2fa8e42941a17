"""Showing it: figures for papers, files for programs, one page for everybody.

`dendrogram` and `plots` draw with matplotlib. `page` writes the HTML report: `panels`
are its words and figures, `pictures` the thumbnails in it. `folder` writes all files of
a result.
"""

"""Showing it: figures for papers, files for programs, one page for everybody.

`plots` and `dendrogram` draw with matplotlib on `axes`. `page` writes the HTML report:
`frame` makes it safe, `panels` and `wording` fill it, `pair_map` and `pictures` are the
map and the thumbnails in it. `folder` writes all files of a result.
"""

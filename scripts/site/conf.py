"""Sphinx's configuration of the site (scripts/build_site)."""
project = "exactdot"
html_title = "exactdot"
copyright = "The exactdot authors. Apache License 2.0"
extensions = ["myst_parser"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["../extra"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}
myst_heading_anchors = 4
# listings with line numbers, unknown words of CUDA: shown without colours
suppress_warnings = ["misc.highlighting_failure"]
pygments_dark_style = "github-dark"
smartquotes = False  # quotes of values

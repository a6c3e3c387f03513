"""How good the judgements are, measured on labelled data by the product's own parts."""

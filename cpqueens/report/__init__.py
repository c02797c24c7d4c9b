"""How answers look: text, tables, SVG and HTML; nothing here decides anything."""

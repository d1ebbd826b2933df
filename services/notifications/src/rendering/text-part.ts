import { convert, type FormatCallback } from "html-to-text";

/** A row of a table of facts becomes a line: "Ticket: WB-1024". Other rows have a space between cells. */
const formatRow: FormatCallback = (row, walk, builder) => {
	const cells = row.children?.filter(({ type }) => type === "tag") ?? [];
	// Hosts of links: the text part has the whole link.
	if (cells.some(({ attribs }) => attribs?.["class"]?.split(" ").includes("host"))) return;
	builder.openBlock({ leadingLineBreaks: 1 });
	for (const [index, cell] of cells.entries()) {
		if (index > 0) builder.addInline(cells[index - 1]?.name === "th" ? ": " : " ", { noWordTransform: true });
		walk(cell.children ?? [], builder);
	}
	builder.closeBlock({ trailingLineBreaks: 1 });
};

/** Makes the text part of a compiled page; outputs and tags of Liquid stay in it. */
export const textPartOf = (html: string): string =>
	convert(html, {
		wordwrap: false,
		limits: { maxInputLength: 1024 * 1024 },
		baseElements: { selectors: [".card", ".quiet"], orderBy: "occurrence", returnDomByDefault: false },
		formatters: { factRow: formatRow },
		selectors: [
			{ selector: "img", format: "skip" },
			{ selector: "div", format: "block", options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
			{ selector: "table", format: "block", options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
			{ selector: "a", options: { linkBrackets: [": ", ""] } },
			// Hosts of links: the text part has the whole link.
			{ selector: "span.host", format: "skip" },
			{ selector: "h1", options: { uppercase: false } },
			{ selector: "h2", options: { uppercase: false } },
			{ selector: "h3", options: { uppercase: false } },
			{ selector: "h4", options: { uppercase: false } },
			{ selector: "tr", format: "factRow" },
		],
	})
		.replaceAll(/ : (?=\{\{|https:)/g, ": ")
		// The words of a link can be its address.
		.replaceAll(/(\{\{[^}]*\}\}|https:\S+): \1(?!\S)/g, "$1")
		.replaceAll(/\n\s*\n/g, "\n\n")
		.trim();

import { inflateSync } from "node:zlib";

/**
 * The text of a PDF that pdfkit has written, without spaces between its cells: its content is compressed, and
 * its glyphs are codes of Latin-1.
 */
export const readPdf = (pdf: Buffer): string =>
	[...pdf.toString("latin1").matchAll(/stream\n(.*?)\nendstream/gs)]
		.map(([, content = ""]) => inflateSync(Buffer.from(content, "latin1")).toString("latin1"))
		.flatMap((content) => [...content.matchAll(/<([0-9a-f]+)>/g)])
		.map(([, codes = ""]) => Buffer.from(codes, "hex").toString("latin1"))
		.join("");

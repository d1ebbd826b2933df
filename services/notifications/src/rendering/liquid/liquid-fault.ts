import { type Fault, fault } from "../../findings/finding.ts";

/** What the engine says, and the fault it is. A detail of the engine is in English. */
const sayings: ReadonlyArray<[RegExp, (found: string, line: number) => Fault]> = [
	[/^tag "(.*?)" not found/, (tag, line) => fault("tag_unknown", { tag, line })],
	[/^undefined filter: (.+)/, (filter, line) => fault("filter_unknown", { filter, line })],
	[/^(?:tag |output )?"?(.+?)"? not closed/, (text, line) => fault("liquid_not_closed", { text, line })],
	[/(.*)/, (detail, line) => fault("liquid_invalid", { detail, line })],
];

/** Returns what an error of the engine says about a template that cannot be parsed. */
export function parseFault(error: unknown): Fault {
	const { text, line } = readMessage(error);
	for (const [saying, toFault] of sayings) {
		const found = saying.exec(text)?.[1];
		if (found !== undefined) return toFault(found, line);
	}
	throw new Error("the last pattern matches every message", { cause: error });
}

/** Returns what an error says about a template that cannot be rendered. */
export function renderFault(error: unknown): Fault {
	const { text } = readMessage(error);
	if (/limit exceeded/.test(text)) return fault("render_limit");
	return fault("render_failed", { detail: text });
}

/** Reads the first line of a message, and the line of the template that it names. */
function readMessage(error: unknown): { text: string; line: number } {
	const [message = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
	const [, text = message, line = "1"] = /^(.*), line:(\d+), col:\d+$/.exec(message) ?? [];
	return { text, line: Number(line) };
}

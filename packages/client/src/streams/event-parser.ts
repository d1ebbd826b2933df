import { ClientError } from "../calls/client-error.ts";

/** An event of a stream. `id` is the last id that the stream sent. */
export type StreamEvent = { event: string; data: string; id: string };

/** The most characters of one event, and of a line that has not ended. */
const eventLengthMax = 256 * 1024;

/**
 * Creates a parser of server-sent events (HTML standard, §9.2.6). Call it with each part of the text, cut
 * anywhere; it returns the events that are complete. Throws ClientError `unreadable` if an event is too long.
 */
export function createEventParser(lastId = ""): (text: string) => StreamEvent[] {
	let rest = "";
	let isStart = true;
	let event = "";
	let data = "";
	let id = lastId;

	function readField(line: string): void {
		const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
		if (name === "event") event = value;
		else if (name === "data") data += `${value}\n`;
		else if (name === "id" && !value.includes("\0")) id = value;
		if (data.length > eventLengthMax) throw new ClientError("unreadable");
	}

	function take(): StreamEvent[] {
		const complete = { event: event === "" ? "message" : event, data: data.slice(0, -1), id };
		const has = data !== "";
		event = "";
		data = "";
		return has ? [complete] : [];
	}

	return (text) => {
		rest += text;
		if (isStart && rest !== "") {
			rest = rest.replace(/^\uFEFF/, "");
			isStart = false;
		}
		// The line feed after a carriage return at the end may be in the next part.
		const lines = rest.split(/\r\n|\n|\r(?!$)/);
		rest = lines.pop() ?? "";
		if (rest.length > eventLengthMax) throw new ClientError("unreadable");
		return lines.flatMap((line) => {
			if (line === "") return take();
			readField(line);
			return [];
		});
	};
}

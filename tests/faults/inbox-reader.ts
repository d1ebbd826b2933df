import { setTimeout as sleep } from "node:timers/promises";
import type { Replica } from "./replica.ts";

/** A client of the stream of an inbox: it connects again after each end, with the id of its last event. */
type InboxReader = {
	/** The titles of the items, each item once, in the order in which they came. */
	titles(): string[];
	/** How many connections ended, but for the last one. */
	ends(): number;
	/** Whether a connection is open, and its first event came. */
	isOpen(): boolean;
	stop(): Promise<void>;
};

type Options = { path: string; token: string; processes: readonly Replica[] };

/** Opens the stream at one process after the other. */
export function readInbox({ path, token, processes }: Options): InboxReader {
	const items = new Map<string, string>();
	const leaving = new AbortController();
	let [lastId, ends, isOpen] = ["", 0, false];
	const take = (block: string) => {
		const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
		if (fields["event"] === undefined) return;
		isOpen = true;
		lastId = fields["id"] ?? lastId;
		const data = JSON.parse(fields["data"]) as { id: string; title: string };
		if (fields["event"] === "item") items.set(data.id, data.title);
	};
	const readOnce = async (at: Replica) => {
		const response = await fetch(`${at.url}${path}`, {
			headers: { authorization: `Bearer ${token}`, ...(lastId !== "" && { "last-event-id": lastId }) },
			signal: leaving.signal,
		});
		if (!response.ok || response.body === null) throw new Error(`refused with ${response.status}`);
		let text = "";
		for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
			const blocks = `${text}${part}`.split("\n\n");
			text = blocks.pop() ?? "";
			blocks.forEach(take);
		}
	};
	const reading = (async () => {
		for (let turn = 0; !leaving.signal.aborted; turn += 1) {
			const [at] = processes.slice(turn % processes.length);
			// A process that stops refuses connections: the next one is tried.
			if (at !== undefined) await readOnce(at).catch(() => sleep(50));
			if (isOpen && !leaving.signal.aborted) ends += 1;
			isOpen = false;
		}
	})();
	return {
		titles: () => [...items.values()],
		ends: () => ends,
		isOpen: () => isOpen,
		async stop() {
			leaving.abort();
			await reading;
		},
	};
}

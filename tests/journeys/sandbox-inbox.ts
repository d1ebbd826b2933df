import type { RunningPlatform } from "./running-platform.ts";

/** A mail that arrived at the sandbox of message providers. */
export type Mail = { subject: string; text: string; links: string[] };

type Inbox = { urls: Pick<RunningPlatform["urls"], "messages-sandbox"> };

/**
 * The newest mail to an address whose subject or text contains `words`. Waits until there is one. Throws
 * after 30 seconds.
 */
export async function mailTo({ urls }: Inbox, to: string, words: string): Promise<Mail> {
	const inbox = urls["messages-sandbox"];
	const query = new URLSearchParams({ to, q: words, channel: "email", outcome: "accepted" });
	await read(`${inbox}/control/wait?${query}&count=1&timeout_ms=30000`);
	const { items } = (await read(`${inbox}/control/truth?${query}&limit=1`)) as { items: { id: number }[] };
	return (await read(`${inbox}/api/messages/${items[0]?.id}`)) as Mail;
}

async function read(address: string): Promise<unknown> {
	const answer = await fetch(address, { signal: AbortSignal.timeout(35_000) });
	const body = await answer.text();
	if (!answer.ok) throw new Error(`${address} answered ${answer.status}: ${body}`);
	return JSON.parse(body);
}

import type { MessagesSandbox } from "@lango/sandbox-messages";

/** Calls the sandbox, as in `GET /control/truth`, and returns its answer. Throws at 4xx and 5xx. */
export async function control({ url }: MessagesSandbox, what: string, body?: unknown) {
	const [method = "", path = ""] = what.split(" ");
	const answer = await fetch(`${url}${path}`, {
		method,
		...(body !== undefined && {
			body: JSON.stringify(body),
			headers: { "content-type": "application/json" },
		}),
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${what}: ${answer.status} ${text}`);
	return text === "" ? undefined : JSON.parse(text);
}

/** What came to the sandbox since it was cleared. */
export const truth = async (sandbox: MessagesSandbox) => (await control(sandbox, "GET /control/truth")).items;

import type { MessagesSandbox } from "../src/index.ts";

/**
 * Calls the sandbox, as in `GET /api/messages`, and returns the JSON of its answer. Throws at 4xx and 5xx.
 */
export async function call({ url }: MessagesSandbox, what: string, body?: unknown) {
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

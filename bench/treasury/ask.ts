import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

const secondsMax = 3_600;

export type Answer = Record<string, unknown>;
export type Asked = { method?: "GET" | "POST"; type?: string; body?: Buffer | string };

/**
 * Asks a server over a connection of its own: a server may close one that was idle during the work between
 * two questions. The answer is to have a status of success.
 */
export async function ask(
	url: string,
	{ method = "POST", type, body, token }: Asked & { token?: string } = {},
): Promise<Answer> {
	const sending = request(url, {
		...{ method, agent: false, timeout: secondsMax * 1_000 },
		headers: {
			...(type !== undefined && { "content-type": type }),
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
		},
	});
	sending.end(body);
	const [response] = (await once(sending, "response")) as [IncomingMessage];
	const answer = await text(response);
	const { statusCode = 0 } = response;
	if (statusCode < 200 || statusCode >= 300)
		throw new Error(`${url} returned ${statusCode}: ${answer.slice(0, 300)}`);
	return JSON.parse(answer) as Answer;
}

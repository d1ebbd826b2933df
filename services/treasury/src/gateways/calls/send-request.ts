import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { addressRefused, isPrivateLiteral, lookupPublic } from "./public-address.ts";

/** A request to a gateway. */
export type GatewayRequest = {
	url: URL;
	method: "GET" | "POST";
	headers: Readonly<Record<string, string>>;
	body: string | undefined;
	timeLimitMs: number;
	/** Whether the address must be public and https. */
	isPublicOnly: boolean;
};

/**
 * How a request ended. `unreached`: no connection came about, so the gateway has nothing. `unanswered`:
 * the request was sent, or part of it, and no complete answer came.
 */
export type Sent =
	| { is: "answered"; status: number; text: string }
	| { is: "unreached" | "unanswered"; code: string };

const answerBytesMax = 4 * 1_024 * 1_024;

/**
 * Sends one request over a connection of its own, follows no redirect and retries nothing. Never rejects.
 * A connection is not reused: a server that closes an idle one would leave it unknown whether it took the
 * request.
 */
export function sendRequest({
	url,
	method,
	headers,
	body,
	timeLimitMs,
	isPublicOnly,
}: GatewayRequest): Promise<Sent> {
	const isSecure = url.protocol === "https:";
	if (isPublicOnly && (!isSecure || isPrivateLiteral(url)))
		return Promise.resolve({ is: "unreached", code: addressRefused });
	return new Promise((resolve) => {
		let isConnected = false;
		const deadline = new AbortController();
		const timer = setTimeout(() => deadline.abort(), timeLimitMs);
		const end = (sent: Sent) => {
			clearTimeout(timer);
			resolve(sent);
		};
		const fail = (error: NodeJS.ErrnoException) =>
			end({ is: isConnected ? "unanswered" : "unreached", code: codeOf(error) });
		const sending = (isSecure ? requestHttps : requestHttp)(url, {
			...{ method, signal: deadline.signal, agent: false },
			...(isPublicOnly && { lookup: lookupPublic }),
			headers: {
				...{ accept: "application/json", "user-agent": "Lango" },
				...(body !== undefined && {
					...{ "content-type": "application/json", "content-length": Buffer.byteLength(body) },
				}),
				...headers,
			},
		});
		sending.on("socket", (socket) => {
			socket.once(isSecure ? "secureConnect" : "connect", () => {
				isConnected = true;
			});
		});
		sending.on("error", fail);
		sending.on("response", (response) => {
			readText(response).then(
				(text) => end({ is: "answered", status: response.statusCode ?? 0, text }),
				fail,
			);
		});
		sending.end(body);
	});
}

async function readText(response: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of response) {
		bytes += chunk.length;
		if (bytes > answerBytesMax) throw Object.assign(new Error("too large"), { code: "answer_too_large" });
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

/** The code of a network error; the end of the time limit is a timeout. */
const codeOf = ({ name, code }: NodeJS.ErrnoException) =>
	name === "AbortError" ? "timeout" : (code ?? name).toLowerCase();

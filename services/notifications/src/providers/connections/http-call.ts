import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Outcome } from "../../provider.ts";

/** A request to a provider's API. */
export type HttpCall = {
	method?: "GET" | "POST";
	headers?: Readonly<Record<string, string>>;
	/** Sent as a form (application/x-www-form-urlencoded). */
	form?: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	json?: unknown;
	signal: AbortSignal;
};

/**
 * How a request ended. `unreached`: no connection came about, so the provider has nothing. `unanswered`: the
 * request was sent, or part of it, and no complete response came.
 */
export type HttpResult =
	| { is: "answered"; status: number; headers: IncomingHttpHeaders; body: string }
	| { is: "unreached" | "unanswered"; code: string };

const connectMs = 5_000;
const answerBytesMax = 64 * 1024;

/**
 * Sends one request over a connection of its own, follows no redirect and reads at most 64 KB of the
 * response. Never rejects. A connection is not reused, because a server that closes an idle one would leave
 * it unknown whether the message was accepted.
 */
export function callHttp(url: string, { method = "POST", headers = {}, form, json, signal }: HttpCall) {
	const body = bodyOf({ form, json });
	const type = form === undefined ? "application/json" : "application/x-www-form-urlencoded";
	const request = url.startsWith("https:") ? requestHttps : requestHttp;
	return new Promise<HttpResult>((resolve) => {
		let isConnected = false;
		const fail = (error: NodeJS.ErrnoException) => {
			clearTimeout(connecting);
			resolve({ is: isConnected ? "unanswered" : "unreached", code: codeOf(error) });
		};
		const sent = request(url, {
			...{ method, signal, agent: false },
			headers: {
				...{ accept: "application/json", "user-agent": "Lango" },
				...(body !== undefined && { "content-type": type, "content-length": Buffer.byteLength(body) }),
				...headers,
			},
		});
		const connecting = setTimeout(() => sent.destroy(errorOf("ETIMEDOUT")), connectMs);
		sent.on("socket", (socket) => {
			socket.once(url.startsWith("https:") ? "secureConnect" : "connect", () => {
				isConnected = true;
				clearTimeout(connecting);
			});
		});
		sent.on("error", fail);
		sent.on("response", (response) => {
			readBody(response).then(
				(text) =>
					resolve({
						...{ is: "answered", status: response.statusCode ?? 0 },
						...{ headers: response.headers, body: text },
					}),
				fail,
			);
		});
		sent.end(body);
	});
}

function bodyOf({ form, json }: Pick<HttpCall, "json"> & { form: HttpCall["form"] }): string | undefined {
	if (form !== undefined) return new URLSearchParams(form).toString();
	return json === undefined ? undefined : JSON.stringify(json);
}

async function readBody(response: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of response as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > answerBytesMax) throw errorOf("answer_too_large");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

const errorOf = (code: string) => Object.assign(new Error(code), { code });

/** The code of a network error; a deadline that passed is a timeout. */
const codeOf = ({ name, code }: NodeJS.ErrnoException) =>
	name === "AbortError" ? "etimedout" : (code ?? name).toLowerCase();

/** Parses the JSON object of a response. Returns an empty object if the body is something else. */
export function readObject(body: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(body);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
	} catch {
		return {};
	}
}

/** The outcome of a request without a response. */
export const withoutAnswer = ({ is, code }: Extract<HttpResult, { code: string }>): Outcome =>
	is === "unanswered"
		? { is: "unknown", code }
		: { is: "refused", mayRetry: true, code, isUnreachable: true };

/**
 * The outcome of a response that refuses for a reason of the provider and not of the message: credentials,
 * its own limits, its own errors. 5xx after a complete request may still have been accepted by some vendors:
 * such an adapter decides before it calls this.
 */
export function refusedByServer(
	{ status, headers }: Extract<HttpResult, { is: "answered" }>,
	code: string,
): Outcome {
	const seconds = Number(headers["retry-after"]);
	const afterSeconds = Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, 86_400) : undefined;
	return {
		...{ is: "refused", mayRetry: true, code },
		...(afterSeconds !== undefined && { afterSeconds }),
		// 401 and 403: wrong credentials are the provider's matter, not the message's.
		...((status === 401 || status === 403 || status === 429) && { isUnreachable: true as const }),
	};
}

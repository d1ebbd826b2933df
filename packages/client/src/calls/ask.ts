import type { ClientConfig } from "../options.ts";
import { ClientError, isRecord, toClientError } from "./client-error.ts";
import { createTraceHeaders } from "./trace-headers.ts";

export type Request = {
	method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	headers?: Readonly<Record<string, string>>;
	/** Sent as JSON; a URLSearchParams as a form, a Blob (a file) as it is with its own type. */
	body?: unknown;
	signal?: AbortSignal;
	timeoutMilliseconds?: number;
};

/**
 * Asks once and answers the JSON that came back, undefined for an empty answer. Whatever else happens is
 * thrown as a ClientError; a caller's own abort is thrown as it is. No cookies go along: the token is the
 * proof.
 */
export async function ask(config: ClientConfig, address: string, request: Request = {}): Promise<unknown> {
	const { method = "GET", body, signal } = request;
	const limit = AbortSignal.timeout(Math.max(1, request.timeoutMilliseconds ?? config.timeoutMilliseconds));
	try {
		const answer = await config.fetch(address, {
			method,
			headers: headersOf(request),
			...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
			signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
			credentials: "omit",
			cache: "no-store",
		});
		return await read(answer, config.now());
	} catch (cause) {
		if (cause instanceof ClientError || signal?.aborted) throw cause;
		throw new ClientError(limit.aborted ? "late" : "unreachable", { cause });
	}
}

/** Whether the browser sends a body as it is, and names its content type. */
const isRaw = (body: unknown): body is URLSearchParams | Blob =>
	body instanceof URLSearchParams || body instanceof Blob;

/**
 * What a browser sends without asking first stays so: a preflight more costs more than its trace is
 * worth.
 */
function headersOf({ headers = {}, body }: Request): Record<string, string> {
	const isJson = body !== undefined && !isRaw(body);
	const isPlain = !isJson && Object.keys(headers).length === 0;
	return {
		accept: "application/json",
		...(isJson && { "content-type": "application/json" }),
		...(!isPlain && createTraceHeaders()),
		...headers,
	};
}

async function read(answer: Response, now: number): Promise<unknown> {
	const text = await answer.text();
	const body = parse(text);
	if (!answer.ok) throw toClientError(body, answer, now);
	if (body === undefined && text !== "") throw new ClientError("unreadable", { status: answer.status });
	return body;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined; // The caller tells an empty answer from one that is no JSON.
	}
}

/** An answer that must be an object. */
export async function askObject(
	config: ClientConfig,
	address: string,
	request?: Request,
): Promise<Record<string, unknown>> {
	const answer = await ask(config, address, request);
	if (!isRecord(answer)) throw new ClientError("unreadable", { status: 200 });
	return answer;
}

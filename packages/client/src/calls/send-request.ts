import type { ClientConfig } from "../options/options.ts";
import { ClientError, isRecord, toClientError } from "./client-error.ts";
import { createTraceHeaders } from "./trace-headers.ts";

export type Request = {
	method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	headers?: Readonly<Record<string, string>>;
	/** Whether the response is a file. It is returned as a Blob. */
	isFile?: boolean;
	/** A URLSearchParams is sent as a form, a Blob with its own type, anything else as JSON. */
	body?: unknown;
	signal?: AbortSignal;
	timeoutMilliseconds?: number;
	/** Whether the cookies of the address are sent; only `resume` of this client does. */
	hasCookies?: boolean;
};

/** The options of a call to a service with the session of a client. */
export type CallOptions = Request & {
	query?: Readonly<Record<string, string | number | boolean | undefined>>;
	/** A public read, sent without Authorization (§4.3). */
	isPublic?: boolean;
	/**
	 * `none`: the call concerns the whole tenant and is sent without an outlet (§4.3). Default: the selected
	 * outlet.
	 */
	outlet?: "none" | undefined;
	/** Repeats of a mutation with the same key have no second effect: see `createIdempotencyKey`. */
	idempotencyKey?: string;
};

/**
 * Sends one request and returns the JSON of the response, undefined if it is empty; a Blob for a file. Throws
 * ClientError; an abort of the caller's signal is rethrown unchanged. Sends no cookies without `hasCookies`.
 */
export async function sendRequest(
	config: Pick<ClientConfig, "fetch" | "now" | "timeoutMilliseconds">,
	address: string,
	request: Request = {},
): Promise<unknown> {
	const { method = "GET", body, signal } = request;
	const limit = AbortSignal.timeout(Math.max(1, request.timeoutMilliseconds ?? config.timeoutMilliseconds));
	try {
		const response = await config.fetch(address, {
			method,
			headers: headersOf(request),
			...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
			signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
			credentials: credentialsOf(request),
			cache: "no-store",
		});
		if (request.isFile && response.ok) return await response.blob();
		return await read(response, config.now());
	} catch (cause) {
		if (cause instanceof ClientError || signal?.aborted) throw cause;
		throw new ClientError(limit.aborted ? "late" : "unreachable", { cause });
	}
}

const credentialsOf = ({ hasCookies }: Request) => (hasCookies ? "include" : "omit");

/** Whether the browser sends the body unchanged and sets its content type. */
const isRaw = (body: unknown): body is URLSearchParams | Blob =>
	body instanceof URLSearchParams || body instanceof Blob;

/** A request that needs no CORS preflight gets no trace headers, because they would cause one. */
function headersOf({ headers = {}, body, isFile = false }: Request): Record<string, string> {
	const isJson = body !== undefined && !isRaw(body);
	const isSimple = !isJson && Object.keys(headers).length === 0;
	return {
		accept: isFile ? "*/*" : "application/json",
		...(isJson && { "content-type": "application/json" }),
		...(!isSimple && createTraceHeaders()),
		...headers,
	};
}

async function read(response: Response, now: number): Promise<unknown> {
	const text = await response.text();
	const body = parse(text);
	if (!response.ok) throw toClientError(body, response, now);
	if (body === undefined && text !== "") throw new ClientError("unreadable", { status: response.status });
	return body;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined; // The caller distinguishes an empty response from invalid JSON.
	}
}

/** Like `sendRequest`. Throws ClientError `unreadable` if the response is not an object. */
export async function requestObject(
	config: ClientConfig,
	address: string,
	request?: Request,
): Promise<Record<string, unknown>> {
	const response = await sendRequest(config, address, request);
	if (!isRecord(response)) throw new ClientError("unreadable", { status: 200 });
	return response;
}

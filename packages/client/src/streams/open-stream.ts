import { ClientError, toClientError } from "../calls/client-error.ts";
import type { CallOptions } from "../calls/send-request.ts";
import { addressOf, headersOf, isSessionOver } from "../session/call.ts";
import type { ClientContext } from "../session/context.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { createEventParser, type StreamEvent } from "./event-parser.ts";

export type StreamOptions = Pick<CallOptions, "query" | "outlet"> & {
	onEvent: (event: StreamEvent) => void;
	/** The service refused the stream, or the session is over: it is not opened again. */
	onEnd?: (error: ClientError) => void;
	/** A stream that sends nothing for so long is opened again. Default: 60 s. */
	silenceMilliseconds?: number;
};

type StreamParts = Pick<
	ClientContext,
	"config" | "store" | "tokenStore" | "getOutletId" | "fresh" | "refresh"
> & {
	/** Called if the session is over. */
	onRefused: () => void;
	onClear: (listener: () => void) => () => void;
};

const firstDelayMilliseconds = 1_000;
const delayMillisecondsMax = 60_000;
/** A stream that was open for so long worked: the next delay is the first one again. */
const stableMilliseconds = 5_000;

/** Returns the function that opens the stream of this client, and the one that closes it. */
export function createStream(parts: StreamParts) {
	let close = () => {};
	parts.onClear(() => close());
	return {
		closeStream: () => close(),
		stream(path: string, options: StreamOptions): () => void {
			const address = addressOf(parts.config, path, options.query);
			close();
			const closing = new AbortController();
			void keepOpen(parts, address, { ...options, signal: closing.signal });
			close = () => closing.abort();
			return () => closing.abort();
		},
	};
}

type Opening = StreamOptions & { signal: AbortSignal };
type Connection = Opening & { lastId: string };

/** Opens the stream, and again after each end, until it is closed or refused. */
async function keepOpen(parts: StreamParts, address: URL, opening: Opening): Promise<void> {
	const { config } = parts;
	const { signal, onEnd } = opening;
	const connection: Connection = { ...opening, lastId: "" };
	for (let failures = 0; !signal.aborted; failures += 1) {
		const startedAt = config.now();
		const error = await readOnce(parts, address, connection).catch(toError);
		if (signal.aborted) return;
		if (error !== undefined && isFinal(error)) {
			onEnd?.(error);
			return;
		}
		if (config.now() - startedAt >= stableMilliseconds) failures = 0;
		await config.wait(delayOf(failures, error));
	}
}

/** A failure without a response or with one that may change is retried. */
const isFinal = ({ code, status = 503 }: ClientError) =>
	code === "signed_out" ||
	code === "invalid_grant" ||
	(status >= 400 && status < 500 && status !== 408 && status !== 429);

/** Half of the delay is random, so that the clients of a service that restarts do not return together. */
function delayOf(failures: number, error: ClientError | undefined): number {
	const delay = Math.min(firstDelayMilliseconds * 2 ** failures, delayMillisecondsMax);
	const jittered = delay * (0.5 + Math.random() / 2);
	return Math.max(jittered, Math.min((error?.retryAfterSeconds ?? 0) * 1_000, delayMillisecondsMax));
}

function toError(cause: unknown): ClientError {
	return cause instanceof ClientError ? cause : new ClientError("unreachable", { cause });
}

/** Reads one connection to its end, with one refresh and one retry after a 401. Throws. */
async function readOnce(parts: StreamParts, address: URL, connection: Connection): Promise<undefined> {
	try {
		const tokens = await parts.fresh();
		try {
			await connect(parts, address, { connection, tokens });
		} catch (error) {
			if (!(error instanceof ClientError) || error.status !== 401 || connection.signal.aborted) throw error;
			await connect(parts, address, { connection, tokens: await parts.refresh(tokens.accessToken) });
		}
	} catch (error) {
		if (isSessionOver(error) && !connection.signal.aborted) parts.onRefused();
		throw error;
	}
}

async function connect(
	parts: StreamParts,
	address: URL,
	{ connection, tokens }: { connection: Connection; tokens: Tokens },
): Promise<void> {
	const { config } = parts;
	const silence = watchSilence(connection.silenceMilliseconds ?? 60_000);
	try {
		const response = await config.fetch(address, {
			headers: {
				...headersOf(parts, address, { options: connection, tokens }),
				accept: "text/event-stream",
				...(connection.lastId !== "" && { "last-event-id": connection.lastId }),
			},
			signal: AbortSignal.any([connection.signal, silence.signal]),
			credentials: "omit",
			cache: "no-store",
		});
		if (!response.ok) throw await readRefusal(response, config.now());
		if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream"))
			throw new ClientError("unreadable", { status: 502 });
		await readEvents(response.body, connection, silence.reset);
	} finally {
		silence.stop();
	}
}

async function readRefusal(response: Response, now: number): Promise<ClientError> {
	return toClientError(await response.json().catch(() => undefined), response, now);
}

async function readEvents(
	body: ReadableStream<Uint8Array>,
	connection: Connection,
	onPart: () => void,
): Promise<void> {
	const push = createEventParser(connection.lastId);
	const decoder = new TextDecoder();
	const reader = body.getReader();
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			onPart();
			for (const event of push(decoder.decode(value, { stream: true }))) {
				connection.lastId = event.id;
				// In a task of its own, so that an error of the listener is reported and does not end the stream.
				queueMicrotask(() => {
					if (!connection.signal.aborted) connection.onEvent(event);
				});
			}
		}
	} finally {
		// Ends the request also if an event could not be read.
		reader.cancel().catch(() => undefined);
	}
}

/** A signal that aborts if `reset` is not called for a while: a broken connection may never end by itself. */
function watchSilence(milliseconds: number) {
	const controller = new AbortController();
	const start = () => setTimeout(() => controller.abort(), milliseconds);
	let timer = start();
	const stop = () => clearTimeout(timer);
	const reset = () => {
		stop();
		timer = start();
	};
	return { signal: controller.signal, reset, stop };
}

import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { ConnectionOptions, NatsConnection } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { envelopeBytesMax } from "../envelope.ts";
import { pause } from "../pause.ts";
import { type OnError, TransportUnavailable } from "../transport.ts";

/** An open connection and its clients. */
export type Bus = { nc: NatsConnection; js: JetStreamClient; jsm: JetStreamManager };

/** A connection that is restored after each loss. */
export type Line = {
	/** Returns the connection. Throws TransportUnavailable while there is none. */
	get(): Bus;
	/** Resolves with the connection as soon as there is one, or with undefined if the signal aborts first. */
	when(signal: AbortSignal): Promise<Bus | undefined>;
	/** Registers a listener for losses and returns of the connection. Returns a function that removes it. */
	onChange(listener: (isUp: boolean) => void): () => void;
	close(): Promise<void>;
};

const connectTimeoutMs = 5_000;
const requestTimeoutMs = 5_000;
const reconnect = { first: 100, most: 2_000 };
const pingIntervalMs = 10_000;

/**
 * Connects, and reconnects forever with pauses of up to two seconds. Throws an Error if an address is
 * invalid.
 */
export function keepConnected(urls: string, { name, onError }: { name: string; onError: OnError }): Line {
	const options = optionsOf(urls, name);
	const closing = new AbortController();
	const listeners = new Set<(isUp: boolean) => void>();
	let bus: Bus | undefined;
	const change = (to: Bus | undefined) => {
		if ((bus === undefined) === (to === undefined)) return;
		bus = to;
		for (const listener of [...listeners]) listener(to !== undefined);
	};
	const keeping = keep(options, { signal: closing.signal, change, onError });
	const line: Line = {
		get() {
			if (bus === undefined) throw new TransportUnavailable("the bus cannot be reached");
			return bus;
		},
		when: (signal) =>
			new Promise((resolve) => {
				const look = () => {
					if (bus === undefined && !signal.aborted && !closing.signal.aborted) return;
					forget();
					signal.removeEventListener("abort", look);
					closing.signal.removeEventListener("abort", look);
					resolve(signal.aborted || closing.signal.aborted ? undefined : bus);
				};
				const forget = line.onChange(look);
				signal.addEventListener("abort", look);
				closing.signal.addEventListener("abort", look);
				look();
			}),
		onChange(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		async close() {
			closing.abort();
			await keeping;
		},
	};
	return line;
}

type Keep = { signal: AbortSignal; change: (to: Bus | undefined) => void; onError: OnError };

/** Keeps one connection open after the other. The client library gives up only if the server refuses it. */
async function keep(options: ConnectionOptions, { signal, change, onError }: Keep): Promise<void> {
	let pauseMs = reconnect.first;
	while (!signal.aborted) {
		try {
			const nc = await connect(options);
			pauseMs = reconnect.first;
			if (signal.aborted) return await nc.close();
			// Also ends the endless reconnect attempts of the library.
			signal.addEventListener(
				"abort",
				() => void nc.close().catch((error) => onError(error, "close the bus")),
			);
			const js = jetstream(nc, { timeout: requestTimeoutMs });
			const jsm = await jetstreamManager(nc, { timeout: requestTimeoutMs, checkAPI: false });
			await follow({ nc, js, jsm }, { signal, change, onError });
		} catch (error) {
			onError(error, "connect to the bus");
		}
		change(undefined);
		await pause(pauseMs, signal);
		pauseMs = Math.min(pauseMs * 2, reconnect.most);
	}
}

/** Resolves when this connection is closed for good. */
async function follow(bus: Bus, { change, onError }: Keep): Promise<void> {
	const { max_payload: bytesMax = envelopeBytesMax } = bus.nc.info ?? {};
	if (bytesMax < envelopeBytesMax)
		onError(
			new Error(
				`max_payload is ${bytesMax} bytes but events may have ${envelopeBytesMax}: larger events cannot be published`,
			),
			"the bus",
		);
	change(bus);
	for await (const status of bus.nc.status()) {
		if (status.type === "disconnect") change(undefined);
		if (status.type === "reconnect") change(bus);
		if (status.type === "error") onError(status.error, "the bus");
	}
}

/** Addresses are separated by commas. The first may contain user and password, or a token. */
function optionsOf(urls: string, name: string): ConnectionOptions {
	const addresses = urls.split(",").map((url) => new URL(url.trim()));
	const wrong = addresses.find(({ protocol }) => protocol !== "nats:" && protocol !== "tls:");
	if (addresses.length === 0 || wrong !== undefined)
		throw new Error("the address of the bus must have the form nats://host:4222");
	const [first] = addresses;
	const user = decodeURIComponent(first?.username ?? "");
	const pass = decodeURIComponent(first?.password ?? "");
	let attempt = 0;
	return {
		servers: addresses.map(({ host }) => host),
		name,
		...(addresses.some(({ protocol }) => protocol === "tls:") && { tls: {} }),
		...(user !== "" && (pass === "" ? { token: user } : { user, pass })),
		timeout: connectTimeoutMs,
		maxReconnectAttempts: -1,
		ignoreAuthErrorAbort: true,
		reconnectDelayHandler: () => {
			attempt += 1;
			return Math.min(reconnect.first * 2 ** Math.min(attempt % 8, 5), reconnect.most);
		},
		pingInterval: pingIntervalMs,
		maxPingOut: 2,
		noAsyncTraces: true,
	};
}

import { inProcessTransport, natsTransport, type OnError, type Transport } from "@lango/events";
import { hasBus, startTestBus, type TestBus } from "@lango/testkit";

/** A kind of transport under test: what stands behind it, and as many processes on it as a test wants. */
export type Kind = { name: "in process" | "NATS"; open(): Promise<Stand> };

export type Stand = {
	/** The transport of a process; in process, all have the same. */
	connect(name: string, onError: OnError): Transport;
	/** A transport of another process. */
	elsewhere(name: string, onError: OnError): Transport;
	/** The server; none in process. */
	bus: TestBus | undefined;
	close(): Promise<void>;
};

const inProcess: Kind = {
	name: "in process",
	async open() {
		const transport = inProcessTransport();
		return {
			connect: () => transport,
			elsewhere: () => inProcessTransport(),
			bus: undefined,
			close: () => transport.close(),
		};
	},
};

const nats: Kind = {
	name: "NATS",
	async open() {
		const bus = await startTestBus();
		const transports: Transport[] = [];
		const connect = (name: string, onError: OnError) => {
			const transport = natsTransport({ url: bus.url, name, onError, streamBytesMax: 64 * 2 ** 20 });
			transports.push(transport);
			return transport;
		};
		return {
			connect,
			elsewhere: connect,
			bus,
			async close() {
				for (const transport of transports) await transport.close();
				await bus.stop();
			},
		};
	},
};

const isThere = hasBus();
if (!isThere) console.log("There is no nats-server on the path: events are tested in one process only.");

/** Every kind of transport this machine can have. */
export const kinds: readonly Kind[] = isThere ? [inProcess, nats] : [inProcess];
export const busKinds: readonly Kind[] = isThere ? [nats] : [];

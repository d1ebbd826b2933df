import { inProcessTransport, natsTransport, type OnError, type Transport } from "@lango/events";
import { hasBus, startTestBus, type TestBus } from "@lango/testkit";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect as connectTo } from "@nats-io/transport-node";
import { streamBytesMax } from "./trial.ts";

/** A kind of transport under test, with its server and any number of processes connected to it. */
export type Kind = { name: "in process" | "NATS"; open(): Promise<Stand> };

export type Stand = {
	/** Creates the transport of one process. In process, all processes share one. */
	connect(name: string, onError: OnError): Transport;
	/** Creates the transport of another process. */
	elsewhere(name: string, onError: OnError): Transport;
	/** The server, if the test owns it. */
	bus: TestBus | undefined;
	/** The URL of the server; undefined in process. */
	busUrl: string | undefined;
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
			busUrl: undefined,
			close: () => transport.close(),
		};
	},
};

/** Transports on one server, one for each process. */
function standOn(url: string, bus: TestBus | undefined): Stand {
	const transports: Transport[] = [];
	const connect = (name: string, onError: OnError) => {
		const transport = natsTransport({ url, name, onError, streamBytesMax });
		transports.push(transport);
		return transport;
	};
	return {
		connect,
		elsewhere: connect,
		bus,
		busUrl: url,
		async close() {
			for (const transport of transports) await transport.close();
			await bus?.stop();
		},
	};
}

const own: Kind = {
	name: "NATS",
	async open() {
		const bus = await startTestBus();
		return standOn(bus.url, bus);
	},
};

/** A shared server. The streams of earlier tests are removed first. */
const given = (url: string): Kind => ({
	name: "NATS",
	async open() {
		const { host } = new URL(url);
		const nc = await connectTo({ servers: host });
		const jsm = await jetstreamManager(nc);
		if ((await jsm.streams.names("trial.>").next()).includes("TRIAL")) await jsm.streams.delete("TRIAL");
		await nc.close();
		return standOn(url, undefined);
	},
});

const isThere = hasBus();
const url = process.env.NATS_URL;
if (!isThere && !url)
	console.log("There is no nats-server on the path and no NATS_URL: events are tested in one process only.");

/** The transports that are available on this machine. */
export const kinds: readonly Kind[] = isThere
	? [inProcess, own]
	: url
		? [inProcess, given(url)]
		: [inProcess];
/** The transports whose server a test may kill. */
export const busKinds: readonly Kind[] = isThere ? [own] : [];

import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

/** Returns the text of all messages that the streams of a bus keep, by the name of the stream. */
export async function readStreams(url: string): Promise<Record<string, string>> {
	const connection = await connect({ servers: url });
	try {
		const { streams } = await jetstreamManager(connection);
		const texts: Record<string, string> = {};
		for await (const { config, state } of streams.list()) {
			const messages: string[] = [];
			for (let seq = state.first_seq; state.messages > 0 && seq <= state.last_seq; seq += 1) {
				const message = await streams.getMessage(config.name, { seq });
				if (message !== null) messages.push(`${message.subject} ${message.string()}`);
			}
			texts[config.name] = messages.join("\n");
		}
		return texts;
	} finally {
		await connection.close();
	}
}

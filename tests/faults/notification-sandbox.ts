import { type MessagesSandbox, startMessagesSandbox } from "@lango/sandbox-messages";

/** What the sandbox has seen of a message. `text` is what its recipient reads. */
type Seen = {
	address: string;
	delivery_id: string;
	message_id: string;
	text: string;
	outcome: string;
};

const asJson = { "content-type": "application/json" };

/** Starts the sandbox of message providers. Returns what tests ask it and set. */
export async function startControlledSandbox() {
	const sandbox: MessagesSandbox = await startMessagesSandbox({ port: 0, smtpPort: 0 });
	const control = async (path: string, method = "GET", body?: unknown): Promise<unknown> => {
		const init = { method, ...(body !== undefined && { headers: asJson, body: JSON.stringify(body) }) };
		const response = await fetch(`${sandbox.url}/control/${path}`, init);
		if (!response.ok) throw new Error(`the sandbox answered ${response.status}: ${await response.text()}`);
		return response.json();
	};
	const list = async (kind: string) => ((await control(`truth?kind=${kind}`)) as { items: Seen[] }).items;
	return {
		/** Where the service finds it, for the seed of its providers. */
		environment: {
			MESSAGES_SANDBOX_SMTP_PORT: String(sandbox.smtpPort),
			MESSAGES_SANDBOX_PORT: new URL(sandbox.url).port,
		},
		/** The mails that were accepted or refused, the oldest first. */
		listMails: () => list("smtp"),
		/** The text messages that were accepted or refused, the oldest first. */
		listTexts: () => list("africastalking"),
		setFaults: async (rules: readonly object[]) => void (await control("faults", "PUT", rules)),
		/** Stops reports about text messages. Returns the address to which they went. */
		async takeOverReports(): Promise<URL> {
			const addresses = (await control("webhooks")) as { africastalking: { url: string } };
			await control("webhooks", "PUT", {});
			return new URL(addresses.africastalking.url);
		},
		stop: () => sandbox.stop(),
	};
}

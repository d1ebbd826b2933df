/** A process that sends webhooks of the card gateway: each says that the next attempt was paid. */
import { type Driven, driveRequests, type Load } from "../drive-requests.ts";
import { chargeOf } from "./charge.ts";

/** `from` is the ordinal of the first attempt. */
export type Job = Load & { from: number };
/** The result, and when the webhook of each attempt was sent: Unix milliseconds from the first attempt on. */
export type Outcome = Driven & { sentAt: readonly number[] };

async function drive(job: Job): Promise<Outcome> {
	const { host } = new URL(job.url);
	const sentAt: number[] = [];
	const request = () => {
		const { body, signature } = chargeOf(job.from + sentAt.length);
		sentAt.push(Date.now());
		const head = `POST /api/v1/webhooks/cardgateway HTTP/1.1\r\nhost: ${host}\r\nx-cardgw-signature: ${signature}\r\n`;
		return Buffer.from(
			`${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
		);
	};
	return { ...(await driveRequests(job, { request, status: 200 })), sentAt };
}

process.on("message", async (job: Job) => {
	try {
		process.send?.({ result: await drive(job) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));

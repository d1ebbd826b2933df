import { tracedFetch } from "@lango/tracing";

const timeoutMs = 5_000;
const bytesMax = 262_144;

export type SignOnAddress = { authUrl: string; apiKey: string };
/** `status` 0: no answer, or none that can be read. */
export type SignOnAnswer = { status: number; body: unknown };

/** Reads from the sign-on service with a key of this service. Answers are neither cached nor logged. */
export function askSignOn({ authUrl, apiKey }: SignOnAddress, path: string): Promise<SignOnAnswer> {
	const asked = tracedFetch(`${authUrl}${path}`, {
		headers: { accept: "application/json", "x-api-key": apiKey },
		redirect: "error",
		signal: AbortSignal.timeout(timeoutMs),
	});
	return asked.then(read).catch(() => ({ status: 0, body: undefined }));
}

async function read(answer: Response): Promise<SignOnAnswer> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of answer.body ?? []) {
		size += chunk.byteLength;
		if (size > bytesMax) throw new Error(`the response is larger than ${bytesMax} bytes`);
		chunks.push(chunk);
	}
	return { status: answer.status, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
}

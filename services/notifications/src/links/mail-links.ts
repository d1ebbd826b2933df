import { tracedFetch } from "@lango/tracing";
import Type from "typebox";
import Value from "typebox/value";
import type { MailLinks } from "../mail-link.ts";
import { isLink } from "../template.ts";

const MailLink = Type.Object({ url: Type.String() });
const NotFound = Type.Object({ code: Type.Literal("link_not_found") });
const timeoutMs = 5_000;
const bytesMax = 16_384;

type Options = { authUrl: string; apiKey: string; allowHttp: boolean };

/** Creates the client. Links stay in memory: they are neither cached nor logged. */
export function createMailLinks({ authUrl, apiKey, allowHttp }: Options): MailLinks {
	return {
		async find(linkId) {
			const asked = tracedFetch(`${authUrl}/api/v1/auth/links/${linkId}`, {
				headers: { accept: "application/json", "x-api-key": apiKey },
				redirect: "error",
				signal: AbortSignal.timeout(timeoutMs),
			});
			const { status, body } = await asked.then(read).catch(() => ({ status: 0, body: undefined }));
			// The 404 of a proxy does not mean that the link is gone.
			if (status === 404 && Value.Check(NotFound, body)) return { is: "gone" };
			const isFound = status === 200 && Value.Check(MailLink, body) && isLink(body.url, allowHttp);
			if (isFound) return { is: "found", url: body.url };
			return { is: "unavailable", code: status === 0 ? "auth_unreachable" : `auth_${status}` };
		},
	};
}

async function read(answer: Response): Promise<{ status: number; body: unknown }> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of answer.body ?? []) {
		size += chunk.byteLength;
		if (size > bytesMax) throw new Error(`the response is larger than ${bytesMax} bytes`);
		chunks.push(chunk);
	}
	return { status: answer.status, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
}

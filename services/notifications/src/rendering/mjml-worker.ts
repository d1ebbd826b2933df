/** Compiles MJML in a worker thread. Includes are ignored, and no configuration file is read. */
import { parentPort } from "node:worker_threads";
import mjml2html from "mjml";

export type MjmlAnswer = { id: number; html: string } | { id: number; problems: readonly string[] };

parentPort?.on("message", async ({ id, source }: { id: number; source: string }) => {
	parentPort?.postMessage(await compile(source).then((answer) => ({ id, ...answer })));
});

async function compile(source: string): Promise<{ html: string } | { problems: readonly string[] }> {
	try {
		const { html, errors } = await mjml2html(source, {
			validationLevel: "soft",
			ignoreIncludes: true,
			keepComments: false,
			fonts: {},
		});
		if (errors.length > 0)
			return { problems: errors.map(({ tagName, message }) => `${tagName}: ${message}`) };
		return { html };
	} catch (error) {
		return { problems: [error instanceof Error ? error.message : "MJML cannot be compiled"] };
	}
}

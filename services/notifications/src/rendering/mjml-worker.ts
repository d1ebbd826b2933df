/** Compiles MJML in a worker thread. Includes are ignored, and no configuration file is read. */
import { parentPort } from "node:worker_threads";
import mjml2html from "mjml";

/** What the compiler says is wrong, and about which element. */
export type MjmlError = { tagName?: string; message: string };
type Compiled = { html: string } | { errors: readonly MjmlError[] };
export type MjmlAnswer = { id: number } & Compiled;

parentPort?.on("message", async ({ id, source }: { id: number; source: string }) => {
	parentPort?.postMessage(await compile(source).then((answer) => ({ id, ...answer })));
});

async function compile(source: string): Promise<Compiled> {
	try {
		const { html, errors } = await mjml2html(source, {
			validationLevel: "soft",
			ignoreIncludes: true,
			keepComments: false,
			fonts: {},
		});
		if (errors.length === 0) return { html };
		return { errors: errors.map(({ tagName, message }) => ({ tagName, message })) };
	} catch (error) {
		return { errors: [{ message: error instanceof Error ? error.message : String(error) }] };
	}
}

import { registerHooks } from "node:module";

/**
 * Loaded before the program (`node --import`). Replaces `recordEvent` by that of `record-by-mode.ts`, so that
 * unchanged code of a service runs with its event, with a plain row instead, or with neither.
 */
const original = new URL("../../../packages/events/src/outbox/record-event.ts", import.meta.url).href;
const instead = new URL("./record-by-mode.ts", import.meta.url).href;

registerHooks({
	resolve(specifier, context, nextResolve) {
		const found = nextResolve(specifier, context);
		return found.url === original && context.parentURL !== instead ? { ...found, url: instead } : found;
	},
});

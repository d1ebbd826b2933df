import { startCardGateway } from "@lango/sandbox-card-gateway";
import { startMobileMoneySandbox } from "@lango/sandbox-mobile-money";

/** The sandboxes of both gateways as a program, with a clock that the process of the storm moves. */
export type SandboxUrls = { mobileMoney: string; cards: string };

let aheadMs = 0;
const now = () => new Date(Date.now() + aheadMs);
/** An event that a dead process did not take comes again every second. */
const webhookPausesMs = Array<number>(600).fill(1_000);
const [mobileMoney, cards] = await Promise.all([
	startMobileMoneySandbox({ port: 0, now }),
	startCardGateway({ port: 0, now, webhookPausesMs }),
]);
process.on("message", (message: { aheadMs: number }) => {
	({ aheadMs } = message);
	process.send?.(message);
});
process.on("disconnect", () => process.exit(0));
process.send?.({ mobileMoney: mobileMoney.url, cards: cards.url } satisfies SandboxUrls);

/** The sandbox of the mobile-money gateway as a program: a callback follows the answer after a short time. */
import { startMobileMoneySandbox } from "@lango/sandbox-mobile-money";
import { callbackPauseMs } from "./callback-pause.ts";

const { url } = await startMobileMoneySandbox({ port: 0, followAfterMs: callbackPauseMs });
process.on("disconnect", () => process.exit(0));
process.send?.({ url });

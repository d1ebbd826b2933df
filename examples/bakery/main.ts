/** The program: `node examples/bakery/main.ts` with BAKERY_DATABASE_URL and SUBSCRIPTIONS_API_KEY set. */
import { runService } from "@lango/chassis";
import { bakery } from "./service.ts";

await runService(bakery);

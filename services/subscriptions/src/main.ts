import { runService } from "@lango/chassis";
import { subscriptions } from "./service.ts";

await runService(subscriptions);

import { runService } from "@lango/chassis";
import { treasury } from "./service.ts";

await runService(treasury);

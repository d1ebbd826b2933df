import { runService } from "@lango/chassis";
import { ordering } from "./service.ts";

await runService(ordering);

import { runService } from "@lango/chassis";
import { marketflow } from "./service.ts";

await runService(marketflow);

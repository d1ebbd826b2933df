import { runService } from "@lango/chassis";
import { inventory } from "./service.ts";

await runService(inventory);

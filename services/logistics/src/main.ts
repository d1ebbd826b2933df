import { runService } from "@lango/chassis";
import { logistics } from "./service.ts";

await runService(logistics);

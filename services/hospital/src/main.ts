import { runService } from "@lango/chassis";
import { hospital } from "./service.ts";

await runService(hospital);

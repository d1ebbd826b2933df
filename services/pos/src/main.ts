import { runService } from "@lango/chassis";
import { pos } from "./service.ts";

await runService(pos);

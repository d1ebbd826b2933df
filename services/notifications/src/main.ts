import { runService } from "@lango/chassis";
import { notifications } from "./service.ts";

await runService(notifications);

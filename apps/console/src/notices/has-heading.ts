import { createContext } from "react";

/** Whether what is shown is below the heading of its page. */
export const HasHeading = createContext(false);

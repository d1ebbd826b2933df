import { SegmentedMessage } from "sms-segments-calculator";

/** Counts the segments of an SMS: GSM 03.38 if every character has a code there, else UCS-2. */
export const countSegments = (text: string): number => new SegmentedMessage(text).segmentsCount;

"""What items say by themselves: numbers from pixels, words and sound, alike for items that look or sound alike."""
